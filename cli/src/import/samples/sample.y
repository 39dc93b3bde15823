/* A small language. */
%{
#include <stdio.h>
%}
%union { int number; char *name; }
%token <number> NUMBER "number"
%token <name> NAME
%token LET "let" PRINT "print" LE "<="
%nonassoc LE '<'
%left '+' '-'
%left '*'
%precedence NEG
%start program
%%
/* The program. */
program: %empty | program statement ;
statement
    : LET NAME[n] '=' expression ';' { declare($n); }
    | PRINT { begin(); } list ';'
    | '{' program '}'
    | error ';' { yyerrok; }
    ;
list: expression | list ',' expression { $$ = add($1, $3); }
expression
    : expression '+' expression
    | expression '-' expression
    | expression '*' expression
    | expression '<' expression
    | expression "<=" expression
    | '-' expression %prec NEG
    | '(' expression ')' | NUMBER | NAME
    ;
%%
int main(void) { return yyparse(); }
